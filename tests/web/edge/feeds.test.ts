import { describe, expect, it } from '@jest/globals';
import { heartbeatCurves } from '../../../web/src/edge/device/heartbeat-curves.js';
import { pictureFinder, seenIn } from '../../../web/src/edge/feeds/prediction.js';
import { kindsOf, telemetryCurves } from '../../../web/src/edge/feeds/telemetry-curves.js';
import { agentLines, deviceSnippets } from '../../../web/src/edge/token/device-snippets.js';
import { newIn } from '../../../web/src/edge/feeds/use-held-page.js';

const at = (second: number) => new Date(second * 1000).toISOString();

describe('telemetryCurves', () => {
  const record = (kind: string, second: number, data: Record<string, unknown>) => ({
    ...{ kind, data },
    ts: at(second),
    received_at: at(second + 3600),
  });

  it('has a curve for each number, by the clock of the device', () => {
    const curves = telemetryCurves([
      record('climate', 20, { celsius: 41, room: { humidity: 30 }, ok: true, place: 'hall' }),
      record('climate', 10, { celsius: 40, list: [1, 2] }),
      record('motor', 15, { rpm: 900 }),
    ]);
    expect(curves).toEqual([
      {
        title: 'climate · celsius',
        points: [
          { x: 10, y: 40 },
          { x: 20, y: 41 },
        ],
      },
      { title: 'climate · room.humidity', points: [{ x: 20, y: 30 }] },
      { title: 'motor · rpm', points: [{ x: 15, y: 900 }] },
    ]);
  });

  it('leaves out what is no number or lies deeper', () => {
    expect(telemetryCurves([record('a', 1, { x: { y: { z: 1 } }, text: '1' })])).toEqual([]);
  });

  it('draws by the time of receipt where the clock of the device cannot be right', () => {
    const received_at = '2026-11-27T10:00:00Z';
    const drawn = (ts: string) =>
      telemetryCurves([{ kind: 'a', ts, received_at, data: { y: 1 } }])[0]?.points[0]?.x;
    const at = Date.parse(received_at) / 1000;
    for (const wrong of ['1970-01-01T00:00:00Z', '2026-10-28T09:59:59Z', '2100-01-01T00:00:00Z'])
      expect(drawn(wrong)).toBe(at);
    expect(drawn('2026-10-28T10:00:00Z')).toBe(at - 30 * 24 * 3600);
  });

  it('names each kind once', () => {
    expect(kindsOf([{ kind: 'b' }, { kind: 'a' }, { kind: 'b' }])).toEqual(['a', 'b']);
  });
});

describe('heartbeatCurves', () => {
  const beat = (second: number, cpu: number | null) => ({
    ...{ at: at(second), cpu, gpu: null, mem: 50, disk: null },
  });

  it('turns the feed round, and leaves out what the device never says', () => {
    const curves = heartbeatCurves([beat(20, null), beat(10, 12.5)]);
    expect(curves.map(({ measure }) => measure)).toEqual(['cpu', 'mem']);
    expect(curves[0]?.points).toEqual([
      { x: 10, y: 12.5 },
      { x: 20, y: null },
    ]);
    expect(heartbeatCurves([])).toEqual([]);
  });
});

describe('predictions', () => {
  it('say what a model saw', () => {
    expect(seenIn({ result: { label: '7' } })).toEqual({ label: '7' });
    expect(seenIn({ result: { detections: [{}, {}] } })).toEqual({ objects: 2 });
    expect(seenIn({ result: { label: '', mask: 'x' } })).toBeNull();
  });

  it('find their picture by its id, or by the prediction that the file names', () => {
    const files = [
      { upload_id: 'u-1', meta: { prediction_id: 'p-1' } },
      { upload_id: 'u-2', meta: {} },
    ];
    const find = pictureFinder(files);
    expect(find({ prediction_id: 'p-1', upload_id: null })?.upload_id).toBe('u-1');
    expect(find({ prediction_id: 'p-1', upload_id: 'u-2' })?.upload_id).toBe('u-2');
    expect(find({ prediction_id: 'p-9', upload_id: 'u-9' })).toBeNull();
    expect(find({ prediction_id: null, upload_id: null })).toBeNull();
  });
});

it('counts records that came since a page was opened', () => {
  expect(newIn(['c', 'b', 'a'], ['b', 'a'], String)).toBe(1);
  expect(newIn(['b', 'a'], ['b', 'a', '0'], String)).toBe(0);
});

describe('the lines of an empty feed', () => {
  it('start the agent as those beside a new token do, without a token', () => {
    const labels = { agent: 'Agent', agentFrom: '', variables: 'Variables', curl: 'curl' };
    const [agent] = deviceSnippets('a-secret', 'https://platform.example', labels);
    const lines = agentLines('https://platform.example');
    expect(lines).toContain("VISIONOPS_DEVICE_TOKEN='<token of the device>'");
    expect(lines.replace('<token of the device>', 'a-secret')).toBe(agent?.lines);
  });
});
