import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useMe } from '../../app/session';
import { text } from '../../text';
import type { User } from '../queries';
import { userCalls, useUserChange } from './user-calls';

/** What a typed address confirms. */
export type Grave = 'makeAdmin' | 'takeAdmin' | 'disable' | 'remove';

/** What has to be asked about before it is done. */
export interface Ask {
  readonly what: 'roles' | Grave;
  readonly user: User;
}

export function UserMenu({ user, onAsk }: { user: User; onAsk: (ask: Ask) => void }) {
  const words = text.admin.users;
  const change = useUserChange();
  const admin = user.is_superuser ? 'takeAdmin' : 'makeAdmin';
  const isOwn = useMe().id === user.id;
  const run = (call: (id: string) => Promise<unknown>) =>
    change.mutate({ run: () => call(user.id), said: words.done(user.email) });
  return (
    <Menu position="bottom-end" withArrow width={260}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          loading={change.isPending}
          aria-label={text.admin.people.actions(user.email)}
        >
          <IconDots size={17} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onAsk({ what: 'roles', user })}>{words.editRoles}</Menu.Item>
        <Menu.Item onClick={() => onAsk({ what: admin, user })}>{words[admin]}</Menu.Item>
        <Menu.Divider />
        {isOwn && <Menu.Label>{words.own}</Menu.Label>}
        {user.is_active ? (
          <Menu.Item disabled={isOwn} onClick={() => onAsk({ what: 'disable', user })}>
            {words.disable}
          </Menu.Item>
        ) : (
          <Menu.Item onClick={() => run(userCalls.enable)}>{words.enable}</Menu.Item>
        )}
        <Menu.Item
          disabled={isOwn}
          c={isOwn ? undefined : 'var(--state-failed)'}
          onClick={() => onAsk({ what: 'remove', user })}
        >
          {words.remove}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
