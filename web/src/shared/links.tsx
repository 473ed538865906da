import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTenant } from '../app/session';
import { text } from '../text';

export function ModelLink({ name, children }: { name: string; children?: ReactNode }) {
  const { code } = useTenant();
  return (
    <Anchor
      renderRoot={(props: object) => (
        <Link to="/t/$tenant/models/$name" params={{ tenant: code, name }} {...props} />
      )}
    >
      {children ?? name}
    </Anchor>
  );
}

interface VersionLinkProps {
  readonly name: string;
  readonly version: number;
  readonly children?: ReactNode;
}

export function VersionLink({ name, version, children }: VersionLinkProps) {
  const { code } = useTenant();
  const params = { tenant: code, name, version: String(version) };
  return (
    <Anchor
      display="inline-block"
      miw={24}
      mih={24}
      lh="24px"
      aria-label={children === undefined ? text.models.version(version) : undefined}
      renderRoot={(props: object) => (
        <Link to="/t/$tenant/models/$name/$version" params={params} {...props} />
      )}
    >
      {children ?? version}
    </Anchor>
  );
}

export function DatasetLink({ id, children }: { id: string; children?: ReactNode }) {
  const { code } = useTenant();
  return (
    <Anchor
      renderRoot={(props: object) => (
        <Link to="/t/$tenant/datasets/$datasetId" params={{ tenant: code, datasetId: id }} {...props} />
      )}
    >
      {children ?? id}
    </Anchor>
  );
}

export function TrainingLink({ id, label }: { id: string; label: string }) {
  const { code } = useTenant();
  return (
    <Anchor
      renderRoot={(props: object) => (
        <Link to="/t/$tenant/training/$experimentId" params={{ tenant: code, experimentId: id }} {...props} />
      )}
    >
      {label}
    </Anchor>
  );
}

export function RunLink({ id, label }: { id: string; label: string }) {
  const { code } = useTenant();
  return (
    <Anchor
      renderRoot={(props: object) => (
        <Link to="/t/$tenant/runs/$runId" params={{ tenant: code, runId: id }} {...props} />
      )}
    >
      {label}
    </Anchor>
  );
}

export function EndpointLink({ name }: { name: string }) {
  const { code } = useTenant();
  return (
    <Anchor
      renderRoot={(props: object) => (
        <Link to="/t/$tenant/serving/$endpoint" params={{ tenant: code, endpoint: name }} {...props} />
      )}
    >
      {name}
    </Anchor>
  );
}

export function DeviceLink({ id }: { id: string }) {
  const { code } = useTenant();
  return (
    <Anchor
      style={{ overflowWrap: 'anywhere' }}
      renderRoot={(props: object) => (
        <Link to="/t/$tenant/edge/$deviceId" params={{ tenant: code, deviceId: id }} {...props} />
      )}
    >
      {id}
    </Anchor>
  );
}
