/* mma.h: nvcuda::wmma is not here: who includes it may, who uses it is told. */
#pragma once
namespace nvcuda
{
namespace wmma
{
}
} // namespace nvcuda
