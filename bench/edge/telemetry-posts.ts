import { requestOf } from '../harness/net-load.js';
import type { BenchDevice, EdgeBench } from './edge-bench.js';

/** Records of a batch. */
export const RECORDS = 100;

/** Records of a device, some 100 bytes each. */
export const recordsOf = (device: number) =>
  Array.from({ length: RECORDS }, (_, at) => {
    const n = device * RECORDS + at;
    return {
      kind: 'temperature',
      ts: new Date(1_700_000_000_000 + n * 10).toISOString(),
      data: { sensor: `line-${n % 7}`, value: 20 + (n % 100) / 8, unit: 'C', ok: n % 3 > 0, seq: n },
    };
  });

/** Made once: that is the work of devices. */
const bodies = new Map<number, Buffer>();

function bodyOf(device: number): Buffer {
  const known = bodies.get(device) ?? Buffer.from(JSON.stringify({ records: recordsOf(device) }));
  bodies.set(device, known);
  return known;
}

/** The n-th batch of a run: each device in turn, with a key of its own. */
export function batchRequest({ facts, devices }: EdgeBench, n: number, run: string): Buffer {
  const at = n % devices.length;
  const headers = {
    'X-Edge-Token': (devices[at] as BenchDevice).token,
    'Content-Type': 'application/json',
    'Idempotency-Key': `${run}-batch-${n}`,
  };
  return requestOf('POST', `${facts.base_url}/api/v1/edge/telemetry`, headers, bodyOf(at));
}
