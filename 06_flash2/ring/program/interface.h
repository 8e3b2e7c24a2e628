/*
 * What the machine's network card says of itself.
 */
#ifndef RING_INTERFACE_H
#define RING_INTERFACE_H

/* Bytes that this host has sent through its interfaces, but for the loopback;
 * 0 where the system does not say. It counts what other programs send, too. */
double interface_sent(void);

#endif
