import { Button, Group, Select } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { text } from '../../text';
import type { Domain } from './time-range';
import { boundsOf, DEFAULT_SPAN, isRange, rangeOf, SPANS, type TimeRange, zoomed } from './time-range';
import { MomentField } from '../moment-field';
import { type SearchChange, useSearchChange } from '../search-change';
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
    <Group gap="sm" align="flex-start">
      <Select
        w={150}
        size="sm"
        label={words.label}
        allowDeselect={false}
        data={[...offered, { value: OWN, label: words.own }]}
        value={range.span ?? OWN}
        onChange={choose}
      />
      {range.span === null && <OwnRange search={search} change={change} />}
    </Group>
  );
}

/** Two moments; charts follow once both are filled in. */
function OwnRange({ search, change }: { search: TabSearch; change: SearchChange }) {
  const stands = `${search.from} ${search.to}`;
  const [typed, setTyped] = useState({ stands, from: search.from, to: search.to });
  // A zoom or "back" takes the place of what was typed.
  const { from, to } = typed.stands === stands ? typed : search;
  const type = (part: Partial<typeof typed>) => setTyped({ stands, from, to, ...part });
  const done = () => {
    if (isRange({ from, to }) && (from !== search.from || to !== search.to))
      change({ from, to }, { replace: true });
  };
  const isEarly = from !== undefined && !isRange({ from, to });
  return (
    <>
      <MomentField
        label={words.from}
        w={200}
        unit="second"
        value={from}
        onMoment={(moment) => type({ from: moment })}
        onDone={done}
      />
      <MomentField
        label={words.to}
        w={200}
        unit="second"
        value={to}
        error={isEarly ? words.toEarly : undefined}
        onMoment={(moment) => type({ to: moment })}
        onDone={done}
      />
      <Button mt={22} variant="default" onClick={() => change({ from: undefined, to: undefined })}>
        {words.reset}
      </Button>
    </>
  );
}
