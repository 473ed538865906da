import time

held = []
while True:
    held.append(bytearray(b"x" * (8 << 20)))
    time.sleep(0.02)
