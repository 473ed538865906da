import { SegmentedControl } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';

interface ChoiceProps<T extends string> {
  readonly label: string;
  /** Words by what is chosen. */
  readonly options: Readonly<Record<T, string>>;
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** One of a few, all in sight: beside each other, or below each other where the page is narrow. */
export function Choice<T extends string>({ label, options, value, onChange }: ChoiceProps<T>) {
  const isNarrow = useMediaQuery('(max-width: 30em)');
  return (
    <SegmentedControl
      aria-label={label}
      orientation={isNarrow ? 'vertical' : 'horizontal'}
      style={{ alignSelf: 'flex-start' }}
      data={Object.entries<string>(options).map(([key, word]) => ({ value: key, label: word }))}
      value={value}
      onChange={(chosen) => onChange(chosen as T)}
    />
  );
}
