import { Alert, Anchor, Group, Textarea, TextInput } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { text } from '../text';

/** A way from one page before the sign-in to another. */
export function DoorLink({ to, children }: { to: LinkProps['to']; children: ReactNode }) {
  return (
    <Anchor size="sm" renderRoot={(props: object) => <Link to={to} {...props} />}>
      {children}
    </Anchor>
  );
}

/** The ways on below a form; the one back to the sign-in is always there. */
export function DoorLinks({ children }: { children?: ReactNode }) {
  return (
    <Group justify="space-between" gap="sm">
      <DoorLink to="/sign-in">{text.people.doors.back}</DoorLink>
      {children}
    </Group>
  );
}

export function EmailField({
  value,
  onChange,
  autoFocus = false,
}: {
  value: string;
  onChange: (value: string) => void;
  autoFocus?: boolean;
}) {
  return (
    <TextInput
      label={text.people.signIn.email}
      type="email"
      name="email"
      autoComplete="email"
      required
      autoFocus={autoFocus}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** The token of a mail; whatever was copied with it, such as line breaks, is left out. */
export function TokenField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <Textarea
      label={text.people.doors.token}
      description={text.people.doors.tokenHint}
      name="token"
      autoComplete="one-time-code"
      required
      rows={3}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value.replaceAll(/\s/g, ''))}
    />
  );
}

/** That something worked, said to screen readers too. */
export function DoneNote({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Alert
      role="status"
      variant="light"
      color="teal"
      icon={<IconCircleCheck aria-hidden />}
      title={title}
      styles={{ title: { color: 'var(--state-succeeded)' } }}
    >
      {children}
    </Alert>
  );
}
