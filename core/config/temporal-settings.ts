import { z } from 'zod';
import { bool, doc, int } from './setting.js';

/** Activities that one worker runs at once, by queue, unless SERVICE_TEMPORAL_QUEUE_SLOTS says otherwise. */
export const QUEUE_SLOTS = { control: 50, data: 4, 'data-long': 6, sync: 6, 'sync-long': 24, workload: 50 };
export type SlotQueue = keyof typeof QUEUE_SLOTS;

const SLOTS_FORM = 'must be a list such as data=8,sync=12 of the queues';

/** `data=8,sync=12`; null when it is no such list. */
function parseSlots(text: string): Record<SlotQueue, number> | null {
  const slots = { ...QUEUE_SLOTS };
  for (const entry of text.split(',').filter((part) => part.trim() !== '')) {
    const [, queue, count] = /^\s*([a-z-]+)=([1-9]\d{0,3})\s*$/.exec(entry) ?? [];
    if (queue === undefined || !Object.hasOwn(slots, queue)) return null;
    slots[queue as SlotQueue] = Number(count);
  }
  return slots;
}

/** How a worker works for Temporal, and what may be left open. */
export const temporalWorkerSettings = {
  SERVICE_TEMPORAL_PLAINTEXT: doc(bool.default(false), {
    text: 'true lets a production speak to Temporal without TLS, over a network that nobody else can read or write',
  }),
  SERVICE_TEMPORAL_SLOTS: doc(z.enum(['resources', 'fixed']).default('resources'), {
    text: 'resources: a worker takes fewer tasks while memory (80 %) or processors (90 %) of its machine are used up, never fewer than half of each queue; fixed: always all',
  }),
  SERVICE_TEMPORAL_QUEUE_SLOTS: doc(
    z
      .string()
      .default('')
      .transform((text, context) => {
        const slots = parseSlots(text);
        if (slots !== null) return slots;
        context.addIssue({
          code: 'custom',
          message: `${SLOTS_FORM} ${Object.keys(QUEUE_SLOTS).join(', ')}, each from 1 to 9999`,
        });
        return z.NEVER;
      }),
    {
      text: `activities that one worker runs at once, where it is not ${Object.entries(QUEUE_SLOTS)
        .map(([queue, count]) => `${queue}=${count}`)
        .join(',')}; a list such as data=8,sync=12`,
    },
  ),
  SERVICE_TEMPORAL_WORKFLOW_SLOTS: doc(int(2, 9999).default(40), {
    text: 'steps of workflows that one worker decides at once, on each queue; they wait for nothing, so more of them help while processors are free',
  }),
  SERVICE_TEMPORAL_POLLERS: doc(int(1, 100).default(2), {
    text: 'open questions for tasks of one worker, for each queue',
  }),
  SERVICE_TEMPORAL_CACHED_WORKFLOWS: doc(int(0, 10_000).default(100), {
    text: 'workflows whose state one worker keeps in memory; the others are replayed when something happens to them',
  }),
};

type Given = Readonly<Record<string, string | undefined>>;
const isTrue = (text: string | undefined): boolean => text === 'true' || text === '1';
const TLS_SETTINGS = ['CA', 'CERT', 'KEY', 'SERVER_NAME'].map((name) => `SERVICE_TEMPORAL_TLS_${name}`);

/** Rules between the settings of Temporal's connection. */
export function temporalProblems(given: Given): string[] {
  const isPlain = given.SERVICE_TEMPORAL_TLS === 'false' || given.SERVICE_TEMPORAL_TLS === '0';
  const isHalf =
    (given.SERVICE_TEMPORAL_TLS_CERT === undefined) !== (given.SERVICE_TEMPORAL_TLS_KEY === undefined);
  const apiKey = given.SERVICE_TEMPORAL_API_KEY;
  const hasTls =
    isTrue(given.SERVICE_TEMPORAL_TLS) ||
    (!isPlain && [apiKey, ...TLS_SETTINGS.map((name) => given[name])].some((value) => value !== undefined));
  const isOpen = given.NODE_ENV === 'production' && !hasTls && !isTrue(given.SERVICE_TEMPORAL_PLAINTEXT);
  return [
    ...(isPlain && apiKey !== undefined
      ? [
          'SERVICE_TEMPORAL_TLS: must not be false beside SERVICE_TEMPORAL_API_KEY, which would travel unencrypted',
        ]
      : []),
    ...(isHalf ? ['SERVICE_TEMPORAL_TLS_CERT, SERVICE_TEMPORAL_TLS_KEY: give both, or none'] : []),
    ...(isOpen
      ? [
          'SERVICE_TEMPORAL_TLS: is missing (required in production: SERVICE_TEMPORAL_TLS=true, a certificate or SERVICE_TEMPORAL_API_KEY; or set SERVICE_TEMPORAL_PLAINTEXT=true)',
        ]
      : []),
  ];
}
