import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { text } from '../text';

interface MoreMenuProps {
  readonly size?: number;
  /** What it belongs to, where a page has several. */
  readonly of?: string;
  readonly children: ReactNode;
}

/** The menu at the end of the actions: what is rare, and all that destroys. */
export function MoreMenu({ size = 36, of, children }: MoreMenuProps) {
  const label = of === undefined ? text.shared.more : `${text.shared.more}: ${of}`;
  return (
    <Menu position="bottom-end" withArrow withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon variant="default" size={size} aria-label={label}>
          <IconDots size={17} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
