import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { Gathering } from './gathering';

/** Events of a busy thing come many times a second, and each of them reads again what changed. */
const PAUSE_MS = 1_000;

/** @returns what reads queries again that begin with a key, at most once in a second; it keeps its identity */
export function useRenewal(): (key: readonly unknown[]) => void {
  const client = useQueryClient();
  const gathering = useMemo(
    () =>
      // A look that is under way is not begun again: events come faster than answers.
      new Gathering(
        (queryKey) => void client.invalidateQueries({ queryKey }, { cancelRefetch: false }),
        PAUSE_MS,
      ),
    [client],
  );
  useEffect(() => () => gathering.end(), [gathering]);
  return useMemo(() => (key) => gathering.add(key), [gathering]);
}
