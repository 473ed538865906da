/**
 * What some work takes of the processor, in ms. Other processes do not count, so that a bound far above what is
 * needed distinguishes work that grows with the square of its input from a busy machine.
 */
export function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** As `cpuMs`, of work that ends later. */
export async function cpuMsOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Linear work takes a few hundredths of this on the inputs of these tests, quadratic work many times as much. */
export const NO_SQUARE_MS = 8000;
