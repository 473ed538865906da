import { expect } from '@jest/globals';

/** What is promised of every API once one has answered a change of who may call. */
const REFUSED_WITHIN_MS = 1000;
const GIVEN_UP_AFTER_MS = 5000;

/** Called when a change was answered. @param ask a call that another API took until then @returns its status */
export async function expectRefusedSoon(ask: () => Promise<number>, status: number): Promise<void> {
  const changedAt = Date.now();
  const since = () => Date.now() - changedAt;
  let answered = 200;
  while (answered < 300 && since() < GIVEN_UP_AFTER_MS) answered = await ask();
  expect([answered, since() < REFUSED_WITHIN_MS]).toEqual([status, true]);
}
