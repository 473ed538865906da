import { Paper, Text, UnstyledButton } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTenant } from '../app/session';
import { count } from './numbers';

interface CountCardProps {
  readonly to: LinkProps['to'];
  /** Parameters of the address, beside the tenant. */
  readonly params?: Readonly<Record<string, string>>;
  /** Undefined while it is on its way. */
  readonly value: number | undefined;
  readonly label: ReactNode;
  /** Filters of the list that holds what is counted. */
  readonly search: Readonly<Record<string, string | number | undefined>>;
  /** True on that list. */
  readonly isOn: boolean;
}

/** A number that leads to what it counts. */
export function CountCard({ to, params, value, label, search, isOn }: CountCardProps) {
  const { code } = useTenant();
  return (
    <UnstyledButton
      aria-current={isOn ? 'true' : undefined}
      renderRoot={(props: object) => (
        <Link to={to} params={{ tenant: code, ...params } as never} search={search as never} {...props} />
      )}
    >
      <Paper
        withBorder
        px="md"
        py="sm"
        style={isOn ? { borderColor: 'var(--mantine-primary-color-filled)' } : undefined}
      >
        <Text size="xl" fw={600} lh={1.2}>
          {value === undefined ? '–' : count(value)}
        </Text>
        <Text size="sm" component="div" c="dimmed" lh="20px" h={20} style={{ display: 'flex' }}>
          {label}
        </Text>
      </Paper>
    </UnstyledButton>
  );
}
