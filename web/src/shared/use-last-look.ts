import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

/** Reads once more what something has left when it comes to its end: the looks while it moved may have missed the last of it. */
export function useLastLook(isMoving: boolean, keys: readonly QueryKey[]): void {
  const client = useQueryClient();
  const wasMoving = useRef(isMoving);
  useEffect(() => {
    if (wasMoving.current && !isMoving)
      for (const queryKey of keys) void client.invalidateQueries({ queryKey });
    wasMoving.current = isMoving;
  });
}
