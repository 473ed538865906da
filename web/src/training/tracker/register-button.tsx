import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { body } from '../../api/client';
import { useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { Dialog } from '../../shared/dialog';
import { DialogEnd } from '../../shared/dialog-end';
import { ErrorCard } from '../../shared/error-card';
import { text } from '../../text';
import { type Run, runKey } from './queries';

/** Makes a model version of a run. @param wish name that is offered first */
export function RegisterButton({ run, wish }: { run: Run; wish: string }) {
  const words = text.training.tracker;
  const tenant = useTenant();
  const client = useQueryClient();
  const [isOpen, dialog] = useDisclosure(false);
  const [name, setName] = useState(run.registered_versions[0]?.name ?? wish.replaceAll(/[/:%]/g, '-'));
  const register = useMutation({
    mutationFn: () =>
      body(
        tenant.api.POST('/api/v1/runs/{run_id}/register', {
          params: { path: { run_id: run.run_id } },
          body: { model_name: name.trim() },
        }),
      ),
    onSuccess: (made) => {
      dialog.close();
      notifications.show({ message: words.registered(made.name, made.version) });
      void client.invalidateQueries({ queryKey: runKey(tenant, run.run_id) });
      void client.invalidateQueries({ queryKey: [tenant.code, 'models'] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    register.mutate();
  };
  return (
    <>
      <Allowed to="MODEL_REGISTER">
        <Button variant={run.registered_versions.length > 0 ? 'default' : 'filled'} onClick={dialog.open}>
          {words.register}
        </Button>
      </Allowed>
      <Dialog opened={isOpen} onClose={dialog.close} title={words.register} isBusy={register.isPending}>
        <form onSubmit={submit}>
          <Stack gap="md">
            <Text>{words.registerHint}</Text>
            <TextInput
              label={words.registerName}
              description={words.registerNameHint}
              required
              maxLength={128}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              data-autofocus
            />
            {register.isError && <ErrorCard error={register.error} />}
            <DialogEnd onCancel={dialog.close} action={words.register} isBusy={register.isPending} />
          </Stack>
        </form>
      </Dialog>
    </>
  );
}

/** Versions that were made of a run. */
export function VersionLinks({ run }: { run: Run }) {
  const { code } = useTenant();
  return run.registered_versions.map(({ name, version }) => (
    <Anchor
      key={`${name} ${version}`}
      display="inline-block"
      lh="24px"
      renderRoot={(props: object) => (
        <Link
          to="/t/$tenant/models/$name/$version"
          params={{ tenant: code, name, version: String(version) }}
          {...props}
        />
      )}
    >
      {name} v{version}
    </Anchor>
  ));
}
