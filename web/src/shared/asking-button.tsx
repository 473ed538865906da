import { Button, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { Permission } from '../app/session';
import { Allowed } from './allowed';
import { Confirm } from './confirm';

interface AskingButtonProps extends Pick<ButtonProps, 'size' | 'disabled'> {
  /** On the button, and on that of the question. */
  readonly action: string;
  readonly to: Permission;
  /** What happens, in one question. */
  readonly title: string;
  /** What is lost and what stays. */
  readonly children: ReactNode;
  /** In the place of "Cancel", where that is what is asked about. */
  readonly decline?: string;
  readonly run: () => Promise<unknown>;
}

/** Does what cannot be undone by another click, once it was asked about. What it failed with is shown in the question. */
export function AskingButton({ action, to, size, disabled, ...question }: AskingButtonProps) {
  const [isAsked, ask] = useDisclosure(false);
  return (
    <>
      <Allowed to={to}>
        <Button variant="default" c="var(--state-failed)" size={size} disabled={disabled} onClick={ask.open}>
          {action}
        </Button>
      </Allowed>
      <Confirm {...question} opened={isAsked} onClose={ask.close} action={action} />
    </>
  );
}
