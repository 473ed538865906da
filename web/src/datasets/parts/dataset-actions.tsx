import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { body } from '../../api/client';
import { useMissing, useTenant } from '../../app/session';
import { Allowed, Explained } from '../../shared/allowed';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { Dialog } from '../../shared/dialog';
import { DialogEnd } from '../../shared/dialog-end';
import { ErrorCard } from '../../shared/error-card';
import { MenuAction } from '../../shared/menu-action';
import { MoreMenu } from '../../shared/more-menu';
import { text } from '../../text';
import type { DatasetDetail } from '../queries';

const words = text.datasets.page;

/** Train is what a dataset is for; the rest waits in a menu. */
export function DatasetActions({ dataset }: { dataset: DatasetDetail }) {
  const tenant = useTenant();
  const missing = useMissing('DATASET_WRITE');
  const [isRenaming, rename] = useDisclosure(false);
  const [isDeleting, remove] = useDisclosure(false);
  const isTrainable = dataset.status === 'FROZEN' && dataset.tasks.length > 0;
  return (
    <Group gap="sm">
      <MoreMenu>
        <MenuAction reason={missing} onClick={rename.open}>
          {words.rename}
        </MenuAction>
        <MenuAction reason={missing} onClick={remove.open} c="var(--state-failed)">
          {text.datasets.delete}
        </MenuAction>
      </MoreMenu>
      {isTrainable ? (
        <Allowed to="DEVELOP">
          <Button
            renderRoot={(props: object) => (
              <Link
                to="/t/$tenant/training/new"
                params={{ tenant: tenant.code }}
                search={{ dataset: dataset.id } as never}
                {...props}
              />
            )}
          >
            {words.train}
          </Button>
        </Allowed>
      ) : (
        <Explained reason={words.notTrainable}>
          <Button>{words.train}</Button>
        </Explained>
      )}
      <RenameDialog dataset={dataset} isOpen={isRenaming} onClose={rename.close} />
      <DeleteDialog dataset={dataset} isOpen={isDeleting} onClose={remove.close} />
    </Group>
  );
}

interface DialogProps {
  readonly dataset: DatasetDetail;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function RenameDialog({ dataset, isOpen, onClose }: DialogProps) {
  const tenant = useTenant();
  const client = useQueryClient();
  const [name, setName] = useState(dataset.name);
  const save = useMutation({
    mutationFn: () =>
      body(
        tenant.api.PATCH('/api/v1/datasets/{dataset_id}', {
          params: { path: { dataset_id: dataset.id } },
          body: { name: name.trim() },
        }),
      ),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [tenant.code, 'datasets'] });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Dialog opened={isOpen} onClose={onClose} title={words.rename} isBusy={save.isPending}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label={words.name}
            required
            maxLength={200}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {save.isError && <ErrorCard error={save.error} />}
          <DialogEnd
            onCancel={onClose}
            action={text.shared.save}
            isBusy={save.isPending}
            isReady={name.trim() !== ''}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

function DeleteDialog({ dataset, isOpen, onClose }: DialogProps) {
  const tenant = useTenant();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isForced, setForced] = useState(false);
  const run = async () => {
    await body(
      tenant.api.DELETE('/api/v1/datasets/{dataset_id}', {
        params: { path: { dataset_id: dataset.id }, query: { force: isForced } },
      }),
    );
    client.removeQueries({ queryKey: [tenant.code, 'datasets', dataset.id] });
    await client.invalidateQueries({ queryKey: [tenant.code, 'datasets', 'list'] });
    await navigate({ to: '/t/$tenant/datasets', params: { tenant: tenant.code }, search: {} });
  };
  return (
    <ConfirmByName
      opened={isOpen}
      onClose={onClose}
      title={text.datasets.deleteTitle(dataset.name)}
      name={dataset.name}
      action={text.datasets.delete}
      run={run}
    >
      <Stack gap="sm">
        {text.datasets.deleteHint}
        <Checkbox
          label={words.unused}
          description={words.force}
          checked={isForced}
          onChange={(event) => setForced(event.currentTarget.checked)}
        />
      </Stack>
    </ConfirmByName>
  );
}
