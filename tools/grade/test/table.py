"""In place of a worker (judge.c starts it): with LEARN a real one, whose answers
are written down; without, one that has that table and nothing else. What is not
in it is answered as something that looks alike was.
"""
import os
import pickle
import select
import socket
import subprocess

LEARN, TABLE, REAL = SETTINGS  # test.py says what
judge = socket.socket(fileno=os.dup(3))
try:
    with open(TABLE, "rb") as file:
        table, alike = pickle.load(file)
except FileNotFoundError:
    table, alike = {}, {}


def learned(asked, answer):
    table[asked] = answer
    alike[asked[1][:5], len(asked[1])] = answer


def relay():
    ours, theirs = socket.socketpair()
    os.dup2(theirs.fileno(), 3)
    worker = subprocess.Popen([*REAL, "worker"], pass_fds=[3])
    theirs.close()
    asked, answer, before = b"", b"", b""
    judge.sendall(ours.recv(1))
    while True:
        for end in select.select([judge, ours], [], [])[0]:
            data = end.recv(1 << 20)
            if not data:
                if answer:
                    learned((before, asked), answer)
                with open(TABLE, "wb") as file:
                    pickle.dump((table, alike), file)
                ours.close()
                return worker.wait()
            if end is judge:
                if answer:
                    learned((before, asked), answer)
                    before = answer if answer[:1] == b"q" else b""
                    asked, answer = b"", b""
                asked += data
                ours.sendall(data)
            else:
                answer += data
                judge.sendall(data)


def play():
    before = asked = b""
    judge.sendall(b"r")
    while True:
        data = judge.recv(1 << 20)
        if not data:
            return
        asked += data
        answer = table.get((before, asked))
        if answer is None:
            answer = alike.get((asked[:5], len(asked)))
        if answer is None:
            if select.select([judge], [], [], 0.05)[0]:
                continue
            return
        judge.sendall(answer)
        before = answer if answer[:1] == b"q" else b""
        asked = b""


relay() if LEARN else play()
