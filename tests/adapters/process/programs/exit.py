import sys

print("first line", flush=True)
print("last words", file=sys.stderr, flush=True)
sys.exit(int(sys.argv[1]))
