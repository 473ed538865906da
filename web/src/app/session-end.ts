import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let isOver = false;

/** The platform no longer knows who looks at the page, or does so again; what stands there stays. @returns whether that is new */
export function setSessionOver(value: boolean): boolean {
  if (value === isOver) return false;
  isOver = value;
  for (const listener of listeners) listener();
  return true;
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useSessionOver = (): boolean => useSyncExternalStore(subscribe, () => isOver);
