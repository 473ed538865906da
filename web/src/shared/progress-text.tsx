import { Progress, Text } from '@mantine/core';

interface ProgressTextProps {
  /** From 0 to 100. */
  readonly percent: number;
  /** What progresses. */
  readonly label: string;
  /** In the place of the percentage. */
  readonly shown?: string;
}

/** A bar with its figure, for a row of a table. */
export function ProgressText({ percent, label, shown }: ProgressTextProps) {
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 8, minWidth: 96 }}>
      <Progress value={percent} size="sm" style={{ flex: 1, minWidth: 48 }} aria-label={label} />
      <Text size="sm" component="span" style={{ whiteSpace: 'nowrap' }}>
        {shown ?? `${Math.round(percent)} %`}
      </Text>
    </span>
  );
}
