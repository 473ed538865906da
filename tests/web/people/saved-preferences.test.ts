import { expect, it } from '@jest/globals';
import { MutationObserver, QueryClient } from '@tanstack/react-query';
import {
  type Preferences,
  type Turn,
  turned,
  turning,
} from '../../../web/src/people/account/saved-preferences.js';
import { preferencesQuery } from '../../../web/src/people/queries.js';

const GRID = {
  items: ['A', 'B', 'C'].map((key) => ({ key, title: key, in_app: true, email: true, kinds: [] })),
} as unknown as Preferences;
const off = (key: string): Turn => ({ key, channel: 'email', isOn: false });
const mailed = ({ items }: Preferences) => items.filter(({ email }) => email).map(({ key }) => key);

/** A platform that keeps the grid of each call, and refuses what holds the key. */
function made(refused: string | null = null) {
  const client = new QueryClient();
  client.setQueryData(preferencesQuery.queryKey, GRID);
  const sent: string[] = [];
  const options = turning(client, async (wanted) => {
    sent.push(mailed(wanted).join(''));
    await Promise.resolve();
    if (refused !== null && !mailed(wanted).includes(refused)) throw new Error('refused');
    return wanted;
  });
  const turn = (key: string) => new MutationObserver(client, options).mutate(off(key)).catch(() => null);
  const kept = () => mailed(client.getQueryData(preferencesQuery.queryKey) as Preferences).join('');
  return { sent, turn, kept, end: () => client.clear() };
}

it('loses no switch that is turned before the one before is answered', async () => {
  const { sent, turn, kept, end } = made();
  const one = turn('A');
  const two = turn('B');
  await one;
  await Promise.all([two, turn('C')]);
  expect(sent).toEqual(['BC', 'C', '']);
  expect(kept()).toBe('');
  end();
});

it('applies none that was refused with one that comes after it', async () => {
  const { sent, turn, kept, end } = made('A');
  await Promise.all([turn('A'), turn('B')]);
  expect(sent).toEqual(['BC', 'AC']);
  expect(kept()).toBe('AC');
  end();
});

it('shows the turns that are under way', () => {
  expect(mailed(turned(GRID, [off('A'), off('B'), { ...off('A'), isOn: true }]))).toEqual(['A', 'C']);
});
