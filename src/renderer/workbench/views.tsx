/** The view that an address shows. */
import { Route, Switch } from 'wouter'
import type { Agent } from '../../shared/contract/index.ts'
import { ChatView } from '../chat/chat-view.tsx'
import { ChangesView } from '../history/changes-view.tsx'
import { ContextView } from '../context/context-view.tsx'
import { ForgetView } from '../forget/forget-view.tsx'
import { FindView } from '../workspace/find-view.tsx'
import { FileView } from '../workspace/file-view.tsx'
import { ChecksView } from '../checks/checks-view.tsx'
import { AroundView } from '../links/around-view.tsx'
import { BrokenView } from '../links/broken-view.tsx'
import { MapView } from '../survey/map-view.tsx'
import { RecallsView } from '../search/recalls-view.tsx'
import { SearchView } from '../search/search-view.tsx'
import { InboxView } from '../upkeep/inbox-view.tsx'
import { SettingsView } from '../settings/settings-view.tsx'
import { TagsView } from '../tags/tags-view.tsx'
import { fileAt, useParameters } from '../navigate.ts'

/** @param place encoded, from `usePlace` */
export function Views({ agent, place }: { agent: Agent; place: string }) {
  const parameters = useParameters()
  return (
    <Switch>
      <Route path="/chat/:session">
        {(params) => <ChatView key={params.session} agent={agent} session={params.session} />}
      </Route>
      {/* Not `/file/*`, which ends at a line break: a name may have one. */}
      <Route path={/^\/file\/[^]/}>
        {() => <FileView key={fileAt(place)} agent={agent} path={fileAt(place) ?? ''} />}
      </Route>
      <Route path="/search">
        <SearchView agent={agent} initialQuery={parameters.get('q') ?? ''} initialWhy={parameters.get('why') ?? ''} />
      </Route>
      <Route path="/inbox">
        <InboxView key={parameters.get('proposal')} agent={agent} proposal={parameters.get('proposal') ?? undefined} />
      </Route>
      <Route path="/search/recalls">
        <RecallsView agent={agent} message={parameters.get('message') ?? undefined} />
      </Route>
      <Route path="/search/map">
        <MapView agent={agent} />
      </Route>
      <Route path="/search/tags">
        <TagsView agent={agent} />
      </Route>
      <Route path="/search/checks">
        <ChecksView agent={agent} />
      </Route>
      <Route path="/find">
        <FindView agent={agent} />
      </Route>
      <Route path="/forget">
        <ForgetView key={agent.id} agent={agent} />
      </Route>
      <Route path="/links/broken">
        <BrokenView agent={agent} />
      </Route>
      <Route path="/links/around">
        <AroundView key={parameters.get('path')} agent={agent} path={parameters.get('path') ?? ''} />
      </Route>
      <Route path="/changes">
        <ChangesView agent={agent} />
      </Route>
      <Route path="/settings">
        <SettingsView agent={agent} />
      </Route>
      <Route path="/context/:session">{(params) => <ContextView agent={agent} session={params.session} />}</Route>
      <Route path="/context">
        <ContextView agent={agent} />
      </Route>
      <Route>
        <ChatView agent={agent} />
      </Route>
    </Switch>
  )
}
