/* C_API declares a function of a .cu file that a test in C calls. */
#ifndef EXERCISE_C_API_H
#define EXERCISE_C_API_H

#ifdef __cplusplus
#define C_API extern "C"
#else
#define C_API
#endif

#endif
