/*
 * The problem that a command line asks for (attention_request.h).
 */
#include "common/program/attention_request.h"

static void settle(const request *r, layer *p)
{
    const option *o = r->o;

    if (o[OPT_SCALE].given)
        p->each.scale = o[OPT_SCALE].number;
    p->each.softcap = o[OPT_SOFTCAP].given ? o[OPT_SOFTCAP].number : 0;
    p->each.causal = o[OPT_CAUSAL].given || o[OPT_CAUSAL_OFFSET].given;
    p->each.offset = o[OPT_CAUSAL].given ? (long)p->each.Nk - (long)p->each.Nq
                                         : o[OPT_CAUSAL_OFFSET].integer;
    p->each.Br = o[OPT_BR].given ? o[OPT_BR].size : 0;
    p->each.Bc = o[OPT_BC].given ? o[OPT_BC].size : 0;
}

int request_problem(const request *r, const random_sizes *sizes,
                    attention_arrays *a)
{
    const option *o = r->o;
    int status;

    if (request_has_files(r))
        status = arrays_read(a, o[OPT_Q].file, o[OPT_K].file, o[OPT_V].file);
    else if (sizes)
        status = arrays_random(a, sizes);
    else
        status = arrays_bundled(a);
    if (status == 0 && o[OPT_MASK].given)
        status = arrays_read_mask(a, o[OPT_MASK].file);
    if (status == 0)
        settle(r, &a->problem);
    return status;
}
