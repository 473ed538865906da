import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { body } from '../../api/client';
import { useMissing, useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { Confirm } from '../../shared/confirm';
import { MenuAction } from '../../shared/menu-action';
import { MoreMenu } from '../../shared/more-menu';
import { isMoving } from '../../shared/state-chip';
import { text } from '../../text';
import type { Sync } from '../queries';

const words = text.sources.syncs;

function useSyncCalls(sync: Sync) {
  const tenant = useTenant();
  const client = useQueryClient();
  const init = { params: { path: { dataset_id: sync.dataset_id, sync_id: sync.id } } };
  const renew = () => client.invalidateQueries({ queryKey: [tenant.code, 'datasets', sync.dataset_id] });
  const cancel = () =>
    body(tenant.api.POST('/api/v1/datasets/{dataset_id}/syncs/{sync_id}:cancel', init)).finally(renew);
  const remove = () =>
    body(tenant.api.DELETE('/api/v1/datasets/{dataset_id}/syncs/{sync_id}', init)).finally(renew);
  return { cancel, remove };
}

export const useSyncCancel = (sync: Sync) => useMutation({ mutationFn: useSyncCalls(sync).cancel });

interface SyncActionsProps {
  readonly sync: Sync;
  readonly cancel: ReturnType<typeof useSyncCancel>;
  readonly onRemoved: () => void;
}

/** Cancel while it runs; nothing else ever comes to its place. What deletes is in a menu, and asks. */
export function SyncActions({ sync, cancel, onRemoved }: SyncActionsProps) {
  const [isAsked, ask] = useDisclosure(false);
  const missing = useMissing('DATASET_WRITE');
  const { remove } = useSyncCalls(sync);
  const moves = isMoving(sync.status);
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      {moves && (
        <Allowed to="DATASET_WRITE">
          <Button
            size="compact-xs"
            variant="default"
            loading={cancel.isPending}
            onClick={() => cancel.mutate()}
          >
            {words.cancel}
          </Button>
        </Allowed>
      )}
      <MoreMenu size={24} of={sync.id}>
        <MenuAction
          reason={missing ?? (moves ? words.stillMoves : null)}
          c="var(--state-failed)"
          onClick={ask.open}
        >
          {words.delete}
        </MenuAction>
      </MoreMenu>
      <Confirm
        opened={isAsked}
        onClose={ask.close}
        title={words.deleteTitle}
        action={words.delete}
        run={async () => {
          await remove();
          onRemoved();
        }}
      >
        {words.deleteBody}
      </Confirm>
    </Group>
  );
}
