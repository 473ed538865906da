import { Menu, type MenuItemProps, Text } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

interface MenuActionProps extends Omit<MenuItemProps, 'disabled' | 'title'> {
  /** Why it cannot be done now; null: it can. */
  readonly reason: string | null;
  readonly onClick?: () => void;
  readonly renderRoot?: (props: object) => ReactElement;
  readonly children: ReactNode;
}

/** An entry of a menu. One that cannot be used stays in reach of keyboard and finger and says why. */
export function MenuAction({ reason, children, leftSection, ...item }: MenuActionProps) {
  if (reason === null)
    return (
      <Menu.Item leftSection={leftSection} {...item}>
        {children}
      </Menu.Item>
    );
  return (
    <Menu.Item leftSection={leftSection} aria-disabled closeMenuOnClick={false} maw={320}>
      <Text size="sm" c="dimmed">
        {children}
      </Text>
      <Text size="xs">{reason}</Text>
    </Menu.Item>
  );
}
