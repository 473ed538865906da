import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { CopyText } from '../../shared/copy-text';
import { Facts } from '../../shared/facts';
import { bytes } from '../../shared/numbers';
import { Time } from '../../shared/time';
import { text } from '../../text';
import { DatasetLink, EndpointLink, ModelLink, RunLink, TrainingLink, VersionLink } from '../../shared/links';
import type { VersionDetail } from '../queries';
import { ImageState } from './image-state';

const words = text.models.versionPage.facts;

/** What is known about a version, at the side of its page. */
export function VersionFacts({ version }: { version: VersionDetail }) {
  const { lineage, dataset_digest: digest, dataset_id: dataset } = version;
  return (
    <Facts
      items={[
        [words.model, <ModelLink key="model" name={version.name} />],
        [words.task, version.task?.replaceAll('_', ' ') ?? '–'],
        [words.framework, version.framework ?? '–'],
        [words.licence, version.licence ?? words.noLicence],
        [words.dataset, dataset === null ? '–' : <DatasetLink key="dataset" id={dataset} />],
        [words.digest, digest === null ? '–' : <DataDigest key="digest" digest={digest} />],
        [
          words.training,
          lineage.training === null ? (
            '–'
          ) : (
            <TrainingLink
              key="training"
              id={lineage.training.id}
              label={lineage.training.name ?? lineage.training.id}
            />
          ),
        ],
        ...(lineage.base === null
          ? []
          : [
              [
                words.base,
                <VersionLink key="base" name={lineage.base.model_name} version={lineage.base.version}>
                  {`${lineage.base.model_name} ${lineage.base.version}`}
                </VersionLink>,
              ] as const,
            ]),
        ...(lineage.derived_total === 0
          ? []
          : [[words.derived, <Derived key="derived" lineage={lineage} />] as const]),
        [words.run, <RunLink key="run" id={version.run_id} label={lineage.run.name ?? version.run_id} />],
        [words.size, bytes(version.size_bytes)],
        [words.image, <ImageState key="image" version={version} />],
        [
          text.models.versionPage.endpoints,
          lineage.endpoints.length === 0
            ? text.models.none
            : lineage.endpoints.map(({ name }) => (
                <div key={name}>
                  <EndpointLink name={name} />
                </div>
              )),
        ],
        ...(version.description === null ? [] : [[words.description, version.description] as const]),
        [words.created, <Time key="created" iso={version.created_at} />],
      ]}
    />
  );
}

/** The digest, and the way to all datasets that hold or held these data. */
function DataDigest({ digest }: { digest: string }) {
  const { code } = useTenant();
  return (
    <>
      <CopyText value={digest} shown={digest.slice(0, 16)} />
      <Anchor
        size="sm"
        renderRoot={(props: object) => (
          <Link to="/t/$tenant/datasets" params={{ tenant: code }} search={{ digest }} {...props} />
        )}
      >
        {words.sameData}
      </Anchor>
    </>
  );
}

/** Versions whose training began with this one. */
function Derived({ lineage: { derived, derived_total: total } }: Pick<VersionDetail, 'lineage'>) {
  return (
    <>
      {derived.map(({ model_name: name, version }) => (
        <div key={`${name} ${version}`}>
          <VersionLink name={name} version={version}>{`${name} ${version}`}</VersionLink>
        </div>
      ))}
      {total > derived.length && text.usage.more(derived.length, total)}
    </>
  );
}
