import { Anchor, Breadcrumbs, Text } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import { text } from '../text';

export interface Crumb {
  readonly label: string;
  readonly to: LinkProps['to'];
  readonly params?: Readonly<Record<string, string>>;
  readonly search?: Readonly<Record<string, string>>;
}

/** The way from the area to this page. */
export function Crumbs({ items, here }: { items: readonly Crumb[]; here: string }) {
  if (items.length === 0) return null;
  return (
    <nav aria-label={text.shared.crumbs}>
      <Breadcrumbs separatorMargin={6} fz="sm">
        {items.map((item) => (
          <Anchor
            key={item.label}
            size="sm"
            renderRoot={(props: object) => (
              <Link
                to={item.to}
                params={(item.params ?? {}) as never}
                search={(item.search ?? {}) as never}
                {...props}
              />
            )}
          >
            {item.label}
          </Anchor>
        ))}
        <Text size="sm" c="dimmed" aria-current="page">
          {here}
        </Text>
      </Breadcrumbs>
    </nav>
  );
}
