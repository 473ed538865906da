import { Stack } from '@mantine/core';
import { conditionText } from '../../../shared/condition-text';
import { CopyText } from '../../../shared/copy-text';
import type { Deployment } from '../../../shared/deployments/queries';
import { targetText } from '../../../shared/deployments/target-text';
import { Facts } from '../../../shared/facts';
import { DeviceLink, VersionLink } from '../../../shared/links';
import { useWorkflowFact } from '../../../shared/temporal';
import { Time } from '../../../shared/time';
import { text } from '../../../text';

const words = text.deployments.page;

export function DeploymentFacts({ deployment }: { deployment: Deployment }) {
  const { model_name: model, version, previous_version: previous, target_device_id: device } = deployment;
  const { facts } = words;
  const workflows = useWorkflowFact('deployment', deployment.id);
  const { window, dataset_digest: digest, image } = deployment;
  return (
    <Facts
      items={[
        [
          facts.version,
          <VersionLink key="version" name={model} version={version}>
            {text.deployments.name(model, version)}
          </VersionLink>,
        ],
        [facts.licence, deployment.licence ?? text.models.versionPage.facts.noLicence],
        [facts.target, device === null ? targetText(deployment) : <DeviceLink key="device" id={device} />],
        ...(device === null ? [[facts.strategy, facts.strategies[deployment.strategy]] as const] : []),
        [facts.previous, previous === null ? facts.previousOwn : text.deployments.name(model, previous)],
        ...(image === null ? [] : [[facts.image, <CopyText key="image" value={image} />] as const]),
        [facts.window, window === null ? facts.anyTime : words.window(window.from, window.to, window.tz)],
        [facts.conditions, <Conditions key="conditions" deployment={deployment} />],
        ...(digest === null
          ? []
          : [[facts.digest, <CopyText key="digest" value={digest} shown={digest.slice(0, 16)} />] as const]),
        [facts.by, deployment.requested_by_name ?? '–'],
        [facts.created, <Time key="created" iso={deployment.created_at} />],
        [facts.started, <Time key="started" iso={deployment.started_at} />],
        [facts.finished, <Time key="finished" iso={deployment.finished_at} />],
        [facts.id, <CopyText key="id" value={deployment.id} />],
        ...workflows,
      ]}
    />
  );
}

function Conditions({ deployment: { rollback_on: conditions, watched } }: { deployment: Deployment }) {
  if (conditions.length === 0) return words.facts.noConditions;
  return (
    <Stack gap={2}>
      {conditions.map((condition) => {
        const sentence = conditionText(condition);
        return <code key={sentence}>{sentence}</code>;
      })}
      {watched && <span>{words.facts.watched}</span>}
    </Stack>
  );
}
