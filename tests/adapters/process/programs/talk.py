import sys

for number in range(int(sys.argv[1])):
    print(f"line {number:07d} " + "ä" * int(sys.argv[2]), flush=number % 1000 == 0)
