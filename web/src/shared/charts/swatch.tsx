import { useComputedColorScheme } from '@mantine/core';
import type { LineLook } from './line-looks';

/** A short piece of a line as it is drawn. */
export function Swatch({ look }: { look: LineLook }) {
  const scheme = useComputedColorScheme('light');
  return (
    <svg width={18} height={8} aria-hidden="true" style={{ flexShrink: 0 }}>
      <line
        x1={0}
        x2={18}
        y1={4}
        y2={4}
        stroke={scheme === 'dark' ? look.dark : look.light}
        strokeWidth={3}
        strokeDasharray={look.dash.join(' ')}
      />
    </svg>
  );
}
