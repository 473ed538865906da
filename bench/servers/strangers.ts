import { randomBytes } from 'node:crypto';
import { keptAgent, timeAtRate } from '../harness/latency.js';
import { callSignIn } from '../harness/sign-in-call.js';
import { addressOfStranger, type FloodOrder, type FloodSeen } from '../harness/stranger-flood.js';

/** Strangers who sign in with random e-mail addresses; a process of its own, so that its work is not that of who measures. */
const order = JSON.parse(process.argv[2] as string) as FloodOrder;
const agent = keptAgent(512);
const answers: Record<string, number> = {};
let turn = 0;
const startedAt = performance.now();
const times = await timeAtRate(order.perSecond, order.seconds, async () => {
  const username = `${randomBytes(8).toString('hex')}@example.com`;
  const from = addressOfStranger(order.networks, turn++);
  const { status, ms } = await callSignIn(agent, order.baseUrl, {
    username,
    password: 'a wrong passphrase',
    from,
  });
  answers[status] = (answers[status] ?? 0) + 1;
  return ms;
});
const seen: FloodSeen = { answers, perSecond: (times.length * 1000) / (performance.now() - startedAt) };
process.send?.(seen, () => process.exit(0));
