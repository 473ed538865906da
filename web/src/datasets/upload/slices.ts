const WORK_MS = 12;

/**
 * Does something with each of many, a few milliseconds at a time, so that the page stays usable: the browser looks at the disk for
 * each file whose size is asked for or that goes to a worker.
 * @param onDone gets now and then how many are done
 */
export async function inSlices<T>(
  things: readonly T[],
  work: (thing: T) => void,
  onDone: (done: number) => void = () => {},
): Promise<void> {
  let since = performance.now();
  for (const [at, thing] of things.entries()) {
    work(thing);
    if (performance.now() - since < WORK_MS) continue;
    onDone(at + 1);
    await new Promise((resolve) => setTimeout(resolve));
    since = performance.now();
  }
  onDone(things.length);
}
