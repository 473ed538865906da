import { describe, expect, it } from '@jest/globals';
import { assertWindow, windowState } from '../../../models/deployments/window.rules.js';

const night = { from: '22:00', to: '06:00', tz: 'Europe/Berlin' };
const at = (time: string, window = night) => {
  const { isOpen, changesAt } = windowState(window, new Date(time));
  return [isOpen, changesAt.toISOString()];
};

describe('the window of a deployment', () => {
  it('opens and closes by the clock on the wall of its time zone, over midnight too', () => {
    expect(at('2026-11-26T20:59:59Z')).toEqual([false, '2026-11-26T21:00:00.000Z']);
    expect(at('2026-11-26T21:00:00Z')).toEqual([true, '2026-11-27T05:00:00.000Z']);
    expect(at('2026-11-27T04:59:59Z')).toEqual([true, '2026-11-27T05:00:00.000Z']);
    expect(at('2026-11-27T05:00:00Z')).toEqual([false, '2026-11-27T21:00:00.000Z']);
    expect(at('2026-07-01T20:30:00Z')).toEqual([true, '2026-07-02T04:00:00.000Z']);
    const day = { from: '09:00', to: '17:30', tz: 'America/St_Johns' };
    expect(at('2026-11-26T12:29:00Z', day)).toEqual([false, '2026-11-26T12:30:00.000Z']);
    expect(at('2026-11-26T12:30:00Z', day)).toEqual([true, '2026-11-26T21:00:00.000Z']);
  });

  it('follows clocks that are put back or forward in it', () => {
    expect(at('2026-10-24T20:30:00Z')).toEqual([true, '2026-10-25T05:00:00.000Z']);
    expect(at('2026-03-28T21:30:00Z')).toEqual([true, '2026-03-29T04:00:00.000Z']);
    expect(at('2026-03-28T10:00:00Z')).toEqual([false, '2026-03-28T21:00:00.000Z']);
  });

  it('is refused with a time zone that there is none of, and without length', () => {
    const refused = expect.objectContaining({ code: 'unprocessable_entity' });
    expect(() => assertWindow({ ...night, tz: 'Mars/Olympus' })).toThrow(refused);
    expect(() => assertWindow({ ...night, to: '22:00' })).toThrow(refused);
    expect(() => assertWindow(night)).not.toThrow();
  });
});
