import { Anchor, Grid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { CopyText } from '../../shared/copy-text';
import { Facts } from '../../shared/facts';
import { Page } from '../../shared/page';
import { StateChip } from '../../shared/state-chip';
import { useWorkflowFact } from '../../shared/temporal';
import { Time } from '../../shared/time';
import { UpdatedAgo } from '../../shared/updated-ago';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { ModelLink, VersionLink } from '../../shared/links';
import { Decision } from '../promotion/decision';
import { PromotionTrail } from '../promotion/promotion-trail';
import { type Promotion, promotionQuery } from '../queries';

const route = getRouteApi('/signed-in/t/$tenant/promotions/$promotionId');
const words = text.models.promotion;

/** One promotion with its trail, live. */
export function PromotionPage() {
  const tenant = useTenant();
  const { promotionId } = route.useParams();
  const query = useQuery(promotionQuery(tenant, promotionId));
  const { data: promotion } = query;
  const params = { tenant: tenant.code };
  return (
    <Page
      title={
        promotion === undefined
          ? text.models.promotions.title
          : words.title(promotion.model_name, promotion.to_version)
      }
      crumbs={[
        { label: text.models.title, to: '/t/$tenant/models', params },
        { label: text.models.promotions.title, to: '/t/$tenant/promotions', params },
      ]}
      state={promotion && <StateChip state={promotion.status} />}
      curl={{ path: `/api/v1/promotions/${promotionId}` }}
    >
      {promotion === undefined ? (
        <Reading query={query} />
      ) : (
        <Grid>
          <Grid.Col span={{ base: 12, md: 8 }}>
            <Stack gap="md">
              <Reading query={query} />
              <Text aria-live="polite">{promotion.status_message}</Text>
              <Title order={2} size="h5">
                {words.trail}
              </Title>
              <PromotionTrail promotion={promotion} />
              <UpdatedAgo at={query.dataUpdatedAt} />
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 4 }}>
            <Stack gap="md">
              {promotion.requires_approval && <Decision promotion={promotion} />}
              <PromotionFacts promotion={promotion} />
            </Stack>
          </Grid.Col>
        </Grid>
      )}
    </Page>
  );
}

function PromotionFacts({ promotion }: { promotion: Promotion }) {
  const { model_name: name, to_version: version, previous_version: previous } = promotion;
  const workflows = useWorkflowFact('promotion', promotion.id);
  return (
    <Facts
      items={[
        [words.facts.model, <ModelLink key="model" name={name} />],
        [
          words.facts.version,
          <VersionLink key="version" name={name} version={version}>
            {text.models.version(version)}
          </VersionLink>,
        ],
        [
          words.facts.before,
          previous === null ? '–' : <Before key="before" name={name} previous={previous} version={version} />,
        ],
        [words.facts.scope, promotion.scope ?? '–'],
        [words.facts.by, promotion.requested_by_name ?? words.someone],
        [words.facts.when, <Time key="when" iso={promotion.created_at} />],
        [words.facts.ended, <Time key="ended" iso={promotion.finished_at} />],
        [words.facts.id, <CopyText key="id" value={promotion.id} />],
        ...workflows,
      ]}
    />
  );
}

function Before({ name, previous, version }: { name: string; previous: number; version: number }) {
  const { code: tenant } = useTenant();
  return (
    <>
      <VersionLink name={name} version={previous}>
        {text.models.version(previous)}
      </VersionLink>
      {' · '}
      <Anchor
        renderRoot={(props: object) => (
          <Link
            to="/t/$tenant/models/$name/compare"
            params={{ tenant, name }}
            search={{ from: previous, to: version }}
            {...props}
          />
        )}
      >
        {words.compare}
      </Anchor>
    </>
  );
}
