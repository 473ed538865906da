import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { type MouseEvent, type ReactNode, useRef } from 'react';
import { text } from '../text';

interface MoreMenuProps {
  readonly size?: number;
  /** What it belongs to, where a page has several. */
  readonly of?: string;
  /** What was chosen in it goes on. */
  readonly isBusy?: boolean;
  readonly children: ReactNode;
}

/** The menu at the end of the actions: what is rare, and all that destroys. */
export function MoreMenu({ size = 36, of, isBusy = false, children }: MoreMenuProps) {
  const label = of === undefined ? text.shared.more : `${text.shared.more}: ${of}`;
  const opener = useRef<HTMLButtonElement>(null);
  // An item goes with the menu: a dialog that it opens gives the focus back to what had it before.
  const leave = ({ target }: MouseEvent) => {
    const item = target instanceof Element ? target.closest('[role="menuitem"]') : null;
    if (item !== null && item.ariaDisabled !== 'true') opener.current?.focus({ preventScroll: true });
  };
  return (
    <Menu position="bottom-end" withArrow withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon ref={opener} variant="default" size={size} loading={isBusy} aria-label={label}>
          <IconDots size={17} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown onClickCapture={leave}>{children}</Menu.Dropdown>
    </Menu>
  );
}
