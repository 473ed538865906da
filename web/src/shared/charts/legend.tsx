import { Button } from '@mantine/core';
import type { Curve } from './curve';
import { Swatch } from './swatch';

interface LegendProps {
  readonly curves: readonly Curve[];
  readonly hidden: ReadonlySet<string>;
  readonly onHidden: (hidden: ReadonlySet<string>) => void;
  readonly onFocus: (place: number | null) => void;
  readonly valueRef: (place: number, span: HTMLSpanElement | null) => void;
}

/** Names of the curves; each is a button that takes its curve away and brings it back. */
export function Legend({ curves, hidden, onHidden, onFocus, valueRef }: LegendProps) {
  const toggle = (id: string) => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    onHidden(next);
  };
  return curves.map((curve, place) => (
    <Button
      key={curve.id}
      size="compact-xs"
      variant="subtle"
      color="gray"
      c={hidden.has(curve.id) ? 'dimmed' : 'var(--mantine-color-text)'}
      td={hidden.has(curve.id) ? 'line-through' : undefined}
      fw={400}
      maw={280}
      aria-pressed={!hidden.has(curve.id)}
      leftSection={<Swatch look={curve.look} />}
      onClick={() => toggle(curve.id)}
      onMouseEnter={() => onFocus(place)}
      onMouseLeave={() => onFocus(null)}
      rightSection={
        <span
          ref={(span) => valueRef(place, span)}
          className="mono"
          style={{ minWidth: 48, textAlign: 'left' }}
        />
      }
    >
      {curve.label}
    </Button>
  ));
}
