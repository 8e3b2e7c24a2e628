/* host_api.cpp: memory, copies, device properties, streams and events. A
 * call with invalid memory is reported with its line, and returns the error. */
#include "tools/emulator/cuda_on_cpu/include/cuda_runtime.h"

#include <time.h>

#include <map>

#include "tools/emulator/cuda_on_cpu/memory/memory.h"
#include "tools/emulator/cuda_on_cpu/races/streams.h"
#include "tools/emulator/cuda_on_cpu/messages/messages.h"

namespace
{
using namespace emu;

std::map<const char *, size_t> symbols; /* see host.h */

/* Returns the array that contains [p, p + bytes), or reports a finding. */
Array *device_array(const void *p, size_t bytes, const char *call, emu::Site at)
{
    Array *a = array_holding(p, bytes);
    size_t offset = (size_t)((const char *)p - arena);
    if (a)
        return a;
    if (arena && offset < arena_bytes && offset >= array_at(offset)->offset) {
        const Array &near = *array_at(offset);
        finding("host call", at, "%s: %zu bytes at %s + %zu; it %s %zu bytes",
                call, bytes, near.name.c_str(), offset - near.offset,
                near.freed ? "was freed, and had" : "has", near.bytes);
    } else
        finding("host call", at,
                "%s: no allocated device array contains %zu bytes at %p", call,
                bytes, p);
    return nullptr;
}

/* With cuda-check: reports a copy of uninitialised elements to the host. */
void check_copied(const Array &a, const void *p, size_t bytes, emu::Site at)
{
    size_t begin = (size_t)((const char *)p - arena) - a.offset, n = 0,
           first = 0;
    if (!summarised || requested_effort() == CUDA_COUNT || any_launch_failed())
        return;
    size_t each = a.element > 1 ? a.element : 4;
    for (size_t i = (begin + each - 1) / each; (i + 1) * each <= begin + bytes;
         i++)
        if (!shadow_any_written(a.shadow, i * each, each) && n++ == 0)
            first = i;
    if (n && a.element > 1)
        finding("uninitialised", at,
                "copies %s[%zu], which was never written (%zu of %zu)",
                a.name.c_str(), first, n, bytes / each);
    else if (n)
        finding("uninitialised", at,
                "copies %s + %zu bytes, which was never written",
                a.name.c_str(), first * each);
}

/* True if p is device memory that the host cannot access. */
bool is_device(const void *p)
{
    return array_holding(p, 0) &&
           (uintptr_t)p - (uintptr_t)arena < managed_begin;
}

/* True if [p, p + bytes) is in a symbol, in a device array (on_device), or in
 * host memory. Otherwise reports a finding. */
bool is_valid(const void *p, size_t bytes, bool on_device, const char *call,
              emu::Site at)
{
    if (in_symbol(p, bytes))
        return true;
    if (on_device)
        return device_array(p, bytes, call, at) != nullptr;
    if (is_device(p))
        finding("host call", at,
                "%s: %p is device memory, but must be host memory", call, p);
    return !is_device(p);
}

/* Reports a race with another stream. Records the access if checks need it. */
void operate(Array *a, const void *p, size_t bytes, Kind kind, uint32_t epoch,
             const char *call, emu::Site at)
{
    if (!a)
        return;
    size_t offset = (size_t)((const char *)p - arena) - a->offset;
    bool writes = kind == Kind::write;
    Conflict c = conflict(a->shadow, offset, bytes, writes, false);
    if (c.with)
        finding(("race on " + a->name).c_str(), at,
                "%s of line %d %s in another stream, %s %s, no event between",
                c.with->name.c_str(), c.with->line, c.wrote ? "wrote" : "read",
                call, writes ? "writes" : "reads");
    if (writes || (epoch != by_host && effort != CUDA_COUNT))
        shadow_mark(a->shadow, offset, bytes, kind, epoch);
}
} // namespace

/* Returns "d_out" for "(void **)&d_out". */
static std::string plain_name(std::string text)
{
    size_t cast = text.rfind(')');
    if (text[0] == '(' && cast + 1 < text.size())
        text = text.substr(cast + 1);
    size_t from = text.find_first_not_of("& ");
    return from == std::string::npos ? text : text.substr(from);
}

void emu::add_symbol(const void *p, size_t bytes)
{
    symbols[static_cast<const char *>(p)] = bytes;
}

bool emu::in_symbol(const void *p, size_t bytes)
{
    for (const auto &s : symbols)
        if (p >= s.first && (const char *)p + bytes <= s.first + s.second)
            return true;
    return false;
}

cudaError_t emu::allocate(void **p, size_t bytes, emu::Site at,
                          const char *name, bool managed, size_t element)
{
    read_settings();
    watch_exit();
    DeviceOpen open;
    Array *a = array_new(bytes, managed);
    if (!a) {
        finding("host call", at, "cudaMalloc: no room for %zu bytes", bytes);
        return api_error(cudaErrorMemoryAllocation);
    }
    if (name)
        a->name = plain_name(name);
    a->element = element;
    *p = arena + a->offset;
    if (managed) {
        memset(*p, 0, bytes);
        shadow_mark(a->shadow, 0, bytes, Kind::write, by_host);
    }
    return cudaSuccess;
}

static cudaError_t free_array(void *p, emu::Site at)
{
    if (!p)
        return cudaSuccess;
    Array *a = device_array(p, 0, "cudaFree", at);
    if (!a)
        return api_error(cudaErrorInvalidValue);
    if (arena + a->offset != p) {
        finding("host call", at, "cudaFree: %p is in the middle of %s", p,
                a->name.c_str());
        return api_error(cudaErrorInvalidValue);
    }
    array_free(a);
    return cudaSuccess;
}

cudaError_t cudaFree(void *p, emu::Site at)
{
    host_waits_for_all();
    return free_array(p, at);
}

cudaError_t cudaFreeAsync(void *p, cudaStream_t, emu::Site at)
{
    return free_array(p, at);
}

/* The host waits for a copy unless the copy is asynchronous. It also waits for
 * an asynchronous copy to pageable memory or a symbol. An asynchronous copy
 * from pageable memory has read all bytes when the call returns. */
static cudaError_t copy(void *to, const void *from, size_t bytes,
                        cudaMemcpyKind kind, cudaStream_t stream,
                        const char *call, bool asynchronous, emu::Site at)
{
    bool to_device =
        kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device =
        kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (bytes == 0)
        return cudaSuccess;
    if (kind == cudaMemcpyDefault) {
        to_device = array_holding(to, 0);
        from_device = array_holding(from, 0);
    }
    if (!is_valid(to, bytes, to_device, call, at) ||
        !is_valid(from, bytes, from_device, call, at))
        return api_error(cudaErrorInvalidValue);
    Array *source = array_holding(from, bytes);
    if (source && is_device(from) && !is_device(to))
        check_copied(*source, from, bytes, at);
    Array *target = array_holding(to, bytes);
    uint32_t epoch = begin_operation(stream, call, at);
    if (!asynchronous)
        epoch = by_host;
    operate(source, from, bytes, Kind::read, epoch, call, at);
    operate(target, to, bytes, Kind::write, epoch, call, at);
    DeviceOpen open;
    memmove(to, from, bytes);
    if (!asynchronous || !target)
        host_waits(stream_clock(stream));
    return execution_error();
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                       cudaMemcpyKind kind, emu::Site at)
{
    return copy(to, from, bytes, kind, nullptr, "cudaMemcpy", false, at);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t stream,
                            emu::Site at)
{
    return copy(to, from, bytes, kind, stream, "cudaMemcpyAsync", true, at);
}

cudaError_t cudaMemset(void *p, int byte, size_t bytes, emu::Site at)
{
    return cudaMemsetAsync(p, byte, bytes, nullptr, at);
}

cudaError_t cudaMemsetAsync(void *p, int byte, size_t bytes,
                            cudaStream_t stream, emu::Site at)
{
    if (bytes == 0)
        return cudaSuccess;
    bool to_symbol = in_symbol(p, bytes);
    Array *a = to_symbol ? nullptr : device_array(p, bytes, "cudaMemset", at);
    if (!a && !to_symbol)
        return api_error(cudaErrorInvalidValue);
    uint32_t epoch = begin_operation(stream, "cudaMemset", at);
    operate(a, p, bytes, Kind::write, epoch, "cudaMemset", at);
    DeviceOpen open;
    memset(p, byte, bytes);
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device)
{
    if (device != 0)
        return api_error(cudaErrorInvalidValue);
    read_settings();
    *p = {};
    p->major = (int)architecture / 10;
    p->minor = (int)architecture % 10;
    p->sharedMemPerBlockOptin = most_shared();
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr what, int device)
{
    cudaDeviceProp p;
    if (cudaGetDeviceProperties(&p, device) != cudaSuccess)
        return cudaErrorInvalidValue;
    memcpy(value, reinterpret_cast<const char *>(&p) + what, sizeof *value);
    return cudaSuccess;
}

void cuda_on_cpu_name(const void *p, const char *name)
{
    Array *a = array_holding(p, 0);
    if (a)
        a->name = name;
}

void cuda_on_cpu_input(const void *p)
{
    Array *a = array_holding(p, 0);
    if (a)
        a->input = true;
}

cuda_array_counts cuda_on_cpu_array_counts(const void *p)
{
    const Array *a = array_holding(p, 0);
    if (!a)
        return {0, 0, 0};
    return {a->loaded, a->stored, a->loaded_once};
}

/* --- Streams and events --------------------------------------------------- */

cudaError_t cudaDeviceSynchronize(void)
{
    host_waits_for_all();
    return execution_error();
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    *stream = new_stream(!(flags & cudaStreamNonBlocking));
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    host_waits(stream_clock(stream));
    return execution_error();
}

struct emu_event {
    timespec at; /* host time of cudaEventRecord */
    Clock recorded;
};

cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned)
{
    *event = new emu_event();
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete event;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    event->recorded = stream_clock(stream);
    clock_gettime(CLOCK_MONOTONIC, &event->at);
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned)
{
    stream_waits(stream, event->recorded);
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    host_waits(event->recorded);
    return execution_error();
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to,
                                 emu::Site at)
{
    if (!host_has_waited(to->recorded)) {
        finding("not synchronised", at,
                "cudaEventElapsedTime: no cudaEventSynchronize before it");
        return api_error(cudaErrorNotReady);
    }
    double s = (double)(to->at.tv_sec - from->at.tv_sec);
    double ns = (double)(to->at.tv_nsec - from->at.tv_nsec);
    *ms = (float)(s * 1e3 + ns * 1e-6);
    return cudaSuccess;
}

/* Runs a callback. The work before it in the stream is complete for it, but not
 * for the code after the call. */
template <class... A> static cudaError_t call_back(void (*f)(A...), A... a)
{
    bool was = host_may_race;
    host_may_race = false;
    f(a...);
    host_may_race = was;
    return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                  cudaStreamCallback_t callback, void *data,
                                  unsigned)
{
    return call_back(callback, stream, execution_error(), data);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void *data)
{
    return call_back(function, data);
}
