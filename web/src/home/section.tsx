import { Anchor, Group, Stack, Title } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTenant } from '../app/session';
import { text } from '../text';

/** One part of the start page, with the way to all that it shows a few of. */
export function Section({
  title,
  all,
  children,
}: {
  title: string;
  all?: LinkProps['to'];
  children: ReactNode;
}) {
  const { code } = useTenant();
  return (
    <Stack component="section" gap="sm" aria-label={title}>
      <Group justify="space-between" gap="sm">
        <Title order={2} size="h5">
          {title}
        </Title>
        {all !== undefined && (
          <Anchor
            size="sm"
            aria-label={`${text.home.all}: ${title}`}
            renderRoot={(props: object) => <Link to={all} params={{ tenant: code } as never} {...props} />}
          >
            {text.home.all}
          </Anchor>
        )}
      </Group>
      {children}
    </Stack>
  );
}
