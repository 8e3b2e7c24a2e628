/* ANCHOR: example */
#include <flash.h>
#include <stdio.h>

int main(void)
{
    float q[] = {1, 0, 0, 1}, k[] = {1, 0, 0, 1, 2, 1}, o[4];
    float v[] = {1, 0, 0, 1, 2, 0};
    char why[FLASH_TEXT];
    flash_problem p = {.size = sizeof p,
                       .B = 1,
                       .Hq = 1,
                       .Hk = 1,
                       .Nq = 2,
                       .Nk = 3,
                       .d = 2,
                       .dv = 2};

    if (flash_forward(&p, (flash_array){.data = q}, (flash_array){.data = k},
                      (flash_array){.data = v}, (flash_array){.data = o},
                      (flash_array){.data = 0}, why) != FLASH_OK)
        return fprintf(stderr, "%s\n", why), 1;
    printf("%.4f %.4f\n%.4f %.4f\n", o[0], o[1], o[2], o[3]);
}
/* ANCHOR_END: example */
