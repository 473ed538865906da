import { Button, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconArrowsDiff, IconCpu, IconDownload, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { body, tenantUrl } from '../../api/client';
import { useMissing, useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { MenuAction } from '../../shared/menu-action';
import { MoreMenu } from '../../shared/more-menu';
import { text } from '../../text';
import { PromoteButton } from '../promotion/promote-button';
import type { VersionDetail } from '../queries';

const words = text.models.versionPage;

/** What can be done with a version. */
export function VersionActions({ version }: { version: VersionDetail }) {
  const { code: tenant } = useTenant();
  const { name } = version;
  const number = version.version;
  const [isAsked, ask] = useDisclosure(false);
  const mayNotDeploy = useMissing('DEPLOY');
  const mayNotDelete = useMissing('MODEL_REGISTER');
  const remove = useRemoval(name, number);
  const file = tenantUrl(tenant, `/api/v1/models/${encodeURIComponent(name)}/${number}/download`);
  return (
    <>
      <PromoteButton version={version} />
      <Allowed to="DEPLOY">
        <Button
          renderRoot={(props: object) => (
            <Link
              to="/t/$tenant/serving/new"
              params={{ tenant }}
              search={{ model: name, version: String(number) }}
              {...props}
            />
          )}
        >
          {words.serve}
        </Button>
      </Allowed>
      <MoreMenu>
        <MenuAction
          reason={mayNotDeploy}
          leftSection={<IconCpu size={15} aria-hidden />}
          renderRoot={(props: object) => (
            <Link
              to="/t/$tenant/deployments/new"
              params={{ tenant }}
              search={{ model: name, version: String(number) }}
              {...props}
            />
          )}
        >
          {text.deployments.deploy}
        </MenuAction>
        <Menu.Item component="a" href={file} download leftSection={<IconDownload size={15} aria-hidden />}>
          {words.download}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconArrowsDiff size={15} aria-hidden />}
          renderRoot={(props: object) => (
            <Link
              to="/t/$tenant/models/$name/compare"
              params={{ tenant, name }}
              search={{ to: number }}
              {...props}
            />
          )}
        >
          {words.compare}
        </Menu.Item>
        <MenuAction
          reason={mayNotDelete}
          c="var(--state-failed)"
          leftSection={<IconTrash size={15} aria-hidden />}
          onClick={ask.open}
        >
          {words.delete}
        </MenuAction>
      </MoreMenu>
      <ConfirmByName
        opened={isAsked}
        onClose={ask.close}
        title={words.deleteTitle(name, number)}
        name={`${name} v${number}`}
        action={words.delete}
        run={remove}
      >
        {words.deleteBody}
      </ConfirmByName>
    </>
  );
}

function useRemoval(name: string, version: number): () => Promise<void> {
  const tenant = useTenant();
  const client = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    await body(tenant.api.DELETE('/api/v1/models/{name}/{version}', { params: { path: { name, version } } }));
    await navigate({ to: '/t/$tenant/models/$name', params: { tenant: tenant.code, name } });
    client.removeQueries({ queryKey: [tenant.code, 'models', name, 'version', version] });
    await client.invalidateQueries({ queryKey: [tenant.code, 'models'] });
    notifications.show({ message: words.deleted(name, version) });
  };
}
