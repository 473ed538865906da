import { Menu } from '@mantine/core';
import { useMe } from '../../app/session';
import { MoreMenu } from '../../shared/more-menu';
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
    <MoreMenu size={28} of={user.email} isBusy={change.isPending}>
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
    </MoreMenu>
  );
}
