import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { type Permission, useMissing } from '../../app/session';
import { Explained } from '../allowed';
import { Confirm } from '../confirm';
import { ConfirmByName } from '../confirm-by-name';
import { each } from './each';

interface BulkActionProps<R> {
  /** Those of the chosen rows that it is done with. */
  readonly rows: readonly R[];
  readonly call: (row: R) => Promise<unknown>;
  /** One of them is enough. */
  readonly to: Permission | readonly Permission[];
  readonly action: string;
  /** Why it cannot be done with these rows. */
  readonly reason?: string | null;
  /** What happens, in one question. */
  readonly title: string;
  /** What is lost and what stays, as it was when the button was pressed. */
  readonly children: ReactNode;
  /** What has to be typed, where it destroys. */
  readonly name?: string;
  /** In the place of "Cancel", where that is what is asked about. */
  readonly decline?: string;
  /** False for what can be taken back. */
  readonly isGrave?: boolean;
  /** Reads the rows anew, also after a failure. */
  readonly renew: () => unknown;
  /** All went well. */
  readonly done: () => void;
}

/** A button that does something with each of the chosen rows, once it was asked about. A second try takes those that failed. */
export function BulkAction<R extends { readonly name: string }>(props: BulkActionProps<R>) {
  const { renew, done, isGrave = true } = props;
  const [isAsked, ask] = useDisclosure(false);
  // The list goes on being read: what was asked about is what is done.
  const [asked, hold] = useState(props);
  const missing = useMissing(props.to);
  const run = async () => {
    const left: R[] = [];
    const call = (row: R) =>
      asked.call(row).catch((error: unknown) => {
        left.push(row);
        throw error;
      });
    await each(asked.rows, call).finally(() => {
      hold({ ...asked, rows: left });
      return renew();
    });
    done();
  };
  const { title, action, name, children } = asked;
  const question = { opened: isAsked, onClose: ask.close, title, action, run };
  return (
    <>
      <Explained reason={missing ?? props.reason ?? null}>
        <Button
          size="compact-sm"
          variant="default"
          c={isGrave ? 'var(--state-failed)' : undefined}
          onClick={() => {
            hold(props);
            ask.open();
          }}
        >
          {props.action}
        </Button>
      </Explained>
      {name === undefined ? (
        <Confirm {...question} isGrave={isGrave} decline={asked.decline}>
          {children}
        </Confirm>
      ) : (
        <ConfirmByName {...question} name={name}>
          {children}
        </ConfirmByName>
      )}
    </>
  );
}
