import { Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { body } from '../../api/client';
import { useTenant } from '../../app/session';
import { Dialog } from '../../shared/dialog';
import { DialogEnd } from '../../shared/dialog-end';
import { ErrorCard } from '../../shared/error-card';
import { text } from '../../text';

interface NewExperimentProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** It is made, and the list is read again. */
  readonly onMade: () => void;
}

export function NewExperiment({ opened, onClose, onMade }: NewExperimentProps) {
  const words = text.training.tracker;
  const tenant = useTenant();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [project, setProject] = useState('default');
  const create = useMutation({
    mutationFn: () =>
      body(tenant.api.POST('/api/v1/experiments', { body: { name: name.trim(), project: project.trim() } })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [tenant.code, 'runs', 'tree'] });
      onMade();
      setName('');
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Dialog opened={opened} onClose={onClose} title={words.newExperiment} isBusy={create.isPending}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label={words.name}
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
          <TextInput
            label={words.project}
            description={words.projectHint}
            required
            value={project}
            onChange={(event) => setProject(event.currentTarget.value)}
          />
          {create.isError && <ErrorCard error={create.error} />}
          <DialogEnd onCancel={onClose} action={words.create} isBusy={create.isPending} />
        </Stack>
      </form>
    </Dialog>
  );
}
