import { BulkAction } from '../../shared/list/bulk-action';
import { text } from '../../text';
import type { User } from '../queries';
import { userCalls, useRefreshedUsers } from '../users/user-calls';

const words = text.admin.members;

interface RemoveProps {
  readonly tenant: string;
  readonly rows: readonly User[];
  readonly done: () => void;
}

/** Takes the role in the tenant from the chosen members. */
export function RemoveMembers({ tenant, rows, done }: RemoveProps) {
  const refresh = useRefreshedUsers();
  const members = rows.map(({ id, email }) => ({ id, name: email }));
  const named = words.many(members.length, members[0]?.name ?? '');
  return (
    <BulkAction
      rows={members}
      call={({ id }) => userCalls.takeRole(id, tenant)}
      to="SETTINGS"
      action={words.remove}
      title={words.removeTitle(named, tenant)}
      name={named}
      renew={refresh}
      done={done}
    >
      {words.removeHint}
    </BulkAction>
  );
}
