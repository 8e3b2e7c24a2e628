/* fiber.cpp: switches stacks. A switch pushes the registers that a function
 * must preserve, changes the stack pointer, and pops the registers of the other
 * fiber. This takes about 10 ns. ucontext makes a system call and takes about
 * 50 times as long. Page: docs/cuda_on_cpu.md. */
#include "tools/emulator/cuda_on_cpu/fiber.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

namespace
{
char *stacks;

/* The lowest page of each stack is inaccessible, so an overflow crashes. */
void reserve_stacks()
{
    stacks =
        static_cast<char *>(emu::reserve(emu::max_threads * emu::stack_bytes));
    for (size_t t = 0; t < emu::max_threads; t++)
        mprotect(stacks + t * emu::stack_bytes, 4096, PROT_NONE);
}

/* Stacks begin at different distances from a page boundary. Otherwise the same
 * variable of all threads would be in one set of the cache. */
char *stack_top(unsigned slot)
{
    if (!stacks)
        reserve_stacks();
    return stacks + (slot + 1) * emu::stack_bytes - slot % 29 * 192;
}
} // namespace

void *emu::reserve(size_t bytes)
{
    void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        fprintf(stderr, "cuda_on_cpu: no address space for %zu bytes\n", bytes);
        exit(1);
    }
    return p;
}

bool emu::on_fiber_stack(const void *p)
{
    uintptr_t offset = (uintptr_t)p - (uintptr_t)stacks;
    return stacks && offset < max_threads * stack_bytes;
}

/* A new stack has stack_words words. Word entry_at is the address of entry. */
namespace
{
#if defined(__x86_64__)

/* emu_switch ends with a jump, since the processor would wrongly predict that a
 * `ret` returns to the caller. Word 7 is an unused return address of entry. */
constexpr size_t stack_words = 8, entry_at = 6;
__asm__(".text\n"
        ".globl emu_switch\n"
        "emu_switch:\n"
        "    push %rbp\n    push %rbx\n    push %r12\n"
        "    push %r13\n    push %r14\n    push %r15\n"
        "    mov  %rsp, (%rdi)\n" /* *from = this stack */
        "    mov  %rsi, %rsp\n"   /* the other stack */
        "    pop  %r15\n    pop  %r14\n    pop  %r13\n"
        "    pop  %r12\n    pop  %rbx\n    pop  %rbp\n"
        "    pop  %rcx\n    jmp  *%rcx\n");

#elif defined(__aarch64__)

/* A function must preserve x19 to x29 and the lower halves of v8 to v15. */
constexpr size_t stack_words = 20, entry_at = 11; /* x30 */
__asm__(".text\n"
        ".globl emu_switch\n"
        "emu_switch:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp]\n      stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n   stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n              str x9, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp]\n      ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n   ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    br  x30\n");

#endif
} // namespace

void *emu::fiber_new(unsigned slot, void (*entry)())
{
    void **s = reinterpret_cast<void **>(stack_top(slot)) - stack_words;
    memset(s, 0, stack_words * sizeof *s);
    s[entry_at] = reinterpret_cast<void *>(entry);
    return s;
}
