import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ApiError } from '../../api/errors';
import type { Schemas } from '../../api/client';
import { useTenant } from '../../app/session';
import { checkQuery, estimateQuery, type Finding } from './queries';

/** After the last key, so that not every letter is checked. */
const PAUSE_MS = 350;

export interface Check {
  readonly isChecking: boolean;
  /** The config as it stands now may be started. */
  readonly isPassed: boolean;
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly estimate: Schemas['EstimateOut'] | null;
  /** The check itself did not work. */
  readonly failure: unknown;
  readonly retry: () => void;
}

/** Checks the config while it is made. @param request null while it is not complete */
export function usePreflight(request: Record<string, unknown> | null): Check {
  const tenant = useTenant();
  const wanted = JSON.stringify(request);
  const [settled] = useDebouncedValue(wanted, PAUSE_MS);
  const asked = useMemo(() => JSON.parse(settled) as Record<string, unknown> | null, [settled]);
  const check = useQuery(checkQuery(tenant, asked));
  const estimate = useQuery(estimateQuery(tenant, asked, check.data?.valid === true));
  const isCurrent = settled === wanted && !check.isFetching;
  // A config whose shape is wrong is refused; its findings are shown like any others.
  const refused = check.error instanceof ApiError && check.error.status === 422 ? check.error : null;
  return {
    isChecking: request !== null && !isCurrent,
    isPassed: isCurrent && check.data?.valid === true,
    errors: check.data?.errors ?? refusedFindings(refused),
    warnings: check.data?.warnings ?? [],
    estimate: check.data?.valid === true ? (estimate.data ?? null) : null,
    failure: refused === null ? check.error : null,
    retry: () => void check.refetch(),
  };
}

const refusedFindings = (refused: ApiError | null): Finding[] =>
  refused?.findings.map(({ field, message }) => ({
    loc: ['body', ...field.split('.')],
    msg: message,
    type: 'value_error',
  })) ?? [];
