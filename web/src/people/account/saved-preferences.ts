import type { QueryClient } from '@tanstack/react-query';
import type { Schemas } from '../../api/client';
import { preferencesQuery } from '../queries';

export type Preferences = Schemas['PreferencesOut'];
export type Channel = 'in_app' | 'email';

/** One switch, and where it is to stand. */
export interface Turn {
  readonly key: string;
  readonly channel: Channel;
  readonly isOn: boolean;
}

/** Names the turns that are under way. */
export const TURNS = ['me', 'preferences', 'turn'] as const;

/** The grid after the turns, in their order. */
export const turned = (all: Preferences, turns: readonly Turn[]): Preferences => ({
  ...all,
  items: all.items.map((group) => {
    const own = turns.filter(({ key }) => key === group.key).map(({ channel, isOn }) => [channel, isOn]);
    return { ...group, ...(Object.fromEntries(own) as Partial<Record<Channel, boolean>>) };
  }),
});

/**
 * Each call sends the whole grid: as the platform answered it last, with the one turn. They go one after the other, so that
 * each begins with what the one before came to; one that is refused leaves no trace.
 */
export const turning = (client: QueryClient, send: (wanted: Preferences) => Promise<Preferences>) => {
  const { queryKey } = preferencesQuery;
  return {
    mutationKey: TURNS,
    scope: { id: TURNS.join() },
    mutationFn: async (turn: Turn) => send(turned(await client.ensureQueryData(preferencesQuery), [turn])),
    onSuccess: async (saved: Preferences) => {
      // A look that began before may hold the grid of before.
      await client.cancelQueries({ queryKey });
      client.setQueryData(queryKey, saved);
    },
  };
};
