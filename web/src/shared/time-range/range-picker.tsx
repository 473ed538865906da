import { Button, Group, Select } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { text } from '../../text';
import type { Domain } from './time-range';
import { boundsOf, DEFAULT_SPAN, rangeOf, SPANS, type TimeRange, zoomed } from './time-range';
import { MomentField } from '../moment-field';
import { useSearchChange } from '../search-change';
import type { TabSearch } from '../tab-search';

const OWN = 'own';
const words = text.shared.timeRange;

/** The range of time that the address holds. */
export function useTimeRange(): TimeRange {
  const { range, from, to }: TabSearch = useSearch({ strict: false });
  return useMemo(() => rangeOf({ range, from, to }), [range, from, to]);
}

/** Goes to a part of the time; "back" and the picker's own button undo it. */
export function useZoom(): (domain: Domain) => void {
  const change = useSearchChange();
  return (domain) => change({ ...zoomed(domain) });
}

/** Choice of the time that charts show; it stands in the address. */
export function RangePicker() {
  const change = useSearchChange();
  const range = useTimeRange();
  const search: TabSearch = useSearch({ strict: false });
  const isOwn = range.span === null;
  const offered = Object.keys(SPANS).map((span) => ({
    value: span,
    label: words.spans[span as keyof typeof SPANS],
  }));
  const choose = (value: string | null) => {
    if (value === OWN) {
      const { since } = boundsOf(range, Date.now());
      change({ from: since, to: new Date().toISOString() });
    } else
      change({
        range: value === DEFAULT_SPAN ? undefined : (value ?? undefined),
        from: undefined,
        to: undefined,
      });
  };
  return (
    <Group gap="sm" align="flex-end">
      <Select
        w={150}
        size="sm"
        label={words.label}
        allowDeselect={false}
        data={[...offered, { value: OWN, label: words.own }]}
        value={range.span ?? OWN}
        onChange={choose}
      />
      {isOwn && (
        <>
          <MomentField
            label={words.from}
            w={200}
            unit="second"
            value={search.from}
            onMoment={(from) => from !== undefined && change({ from }, { replace: true })}
          />
          <MomentField
            label={words.to}
            w={200}
            unit="second"
            value={search.to}
            onMoment={(to) => change({ to }, { replace: true })}
          />
          <Button variant="default" onClick={() => change({ from: undefined, to: undefined })}>
            {words.reset}
          </Button>
        </>
      )}
    </Group>
  );
}
