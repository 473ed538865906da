import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { tenantUrl } from '../../api/client';
import { useEvents } from '../../api/use-events';
import type { Tenant } from '../../app/session';
import { experimentKey } from '../queries';

/** Null: something was logged that the stream does not carry, so that the log has to be read again. */
export type LogHint = readonly string[] | null;

/** Hands lines of the stream to whoever shows the log. */
export class LogBus {
  private readonly readers = new Set<(hint: LogHint) => void>();

  subscribe(reader: (hint: LogHint) => void): () => void {
    this.readers.add(reader);
    return () => this.readers.delete(reader);
  }

  send(hint: LogHint): void {
    for (const reader of this.readers) reader(hint);
  }
}

const EVENTS = ['log', 'step', 'progress', 'metrics', 'experiment'];

/** Follows a training while it moves: what changed is read again, lines of its log go to the bus. */
export function useLive(tenant: Tenant, id: string, isLive: boolean): LogBus {
  const client = useQueryClient();
  const bus = useMemo(() => new LogBus(), []);
  const { code } = tenant;
  const onHint = useCallback(
    (data: unknown) => {
      const hint = (data ?? {}) as { lines?: string[]; from?: number; points?: unknown };
      if (hint.lines !== undefined) return bus.send(hint.lines);
      if (data === null || hint.from !== undefined) bus.send(null);
      if (hint.from !== undefined) return;
      const key = experimentKey({ code } as Tenant, id);
      const part = hint.points === undefined ? 'detail' : 'metrics';
      // A look that is under way is not begun again: events come faster than answers.
      void client.invalidateQueries({ queryKey: [...key, part] }, { cancelRefetch: false });
    },
    [bus, client, code, id],
  );
  useEvents(isLive ? tenantUrl(code, `/api/v1/training/experiments/${id}/logs`) : null, EVENTS, onHint);
  return bus;
}
