// The initial projects and issues of a tracker.

import type { Comment, Issue, Label, Member, Milestone, Project, Sprint } from './model.ts'

export const members: readonly Member[] = [
  { username: 'amara', name: 'Amara Diallo' },
  { username: 'bo', name: 'Bo Lindgren' },
  { username: 'chen', name: 'Chen Wei' },
  { username: 'dana', name: 'Dana Novak' },
]

export const projects: readonly Project[] = [
  { key: 'WEB', name: 'Website', description: 'The public site and its forms.', lead: 'amara', isArchived: false },
  { key: 'APP', name: 'Mobile app', description: 'The app for iOS and Android.', lead: 'chen', isArchived: false },
  { key: 'OPS', name: 'Operations', description: 'Hosting, backups and alerts.', lead: 'dana', isArchived: false },
]

export const labels: readonly Label[] = [
  { name: 'accessibility', colour: '#5319e7', description: 'Hard or impossible for some people' },
  { name: 'documentation', colour: '#0075ca', description: 'Words, not code' },
  { name: 'performance', colour: '#fbca04', description: 'Too slow or too large' },
  { name: 'regression', colour: '#b60205', description: 'It worked before' },
  { name: 'security', colour: '#d93f0b', description: 'Handle with care' },
]

export const milestones: readonly Milestone[] = [
  { id: 'mil-1', project: 'WEB', title: 'Spring relaunch', dueOn: '2026-04-15' },
  { id: 'mil-2', project: 'APP', title: 'Version 3.0', dueOn: '2026-05-30' },
]

export const sprints: readonly Sprint[] = [
  sprint('spr-1', 'WEB', 'Forms that work', '2026-02-09', '2026-02-20', 'completed'),
  sprint('spr-2', 'WEB', 'Relaunch, first half', '2026-02-23', '2026-03-06', 'active'),
  sprint('spr-3', 'WEB', 'Relaunch, second half', '2026-03-09', '2026-03-20', 'planned'),
  sprint('spr-4', 'APP', 'A camera that may be denied', '2026-03-02', '2026-03-13', 'planned'),
]

export const issues: readonly Issue[] = [
  issue('WEB-1', 'Contact form loses line breaks', 'bug', {
    status: 'closed',
    resolution: 'done',
    closedAt: '2026-02-17T14:00:00Z',
    sprintId: 'spr-1',
    points: 2,
  }),
  issue('WEB-2', 'Search results cannot be reached by keyboard', 'bug', {
    status: 'closed',
    resolution: 'done',
    closedAt: '2026-02-25T10:00:00Z',
    assignee: 'bo',
    labels: ['accessibility'],
    sprintId: 'spr-2',
    points: 3,
  }),
  issue('WEB-3', 'New start page', 'feature', {
    status: 'in-progress',
    priority: 'high',
    assignee: 'amara',
    milestoneId: 'mil-1',
    sprintId: 'spr-2',
    points: 8,
    checklist: [
      { text: 'Agree on the text', done: true },
      { text: 'Pictures in three sizes', done: false },
    ],
  }),
  issue('WEB-4', 'Images are loaded in full size on phones', 'bug', {
    assignee: 'bo',
    labels: ['performance'],
    milestoneId: 'mil-1',
    sprintId: 'spr-2',
    points: 5,
    links: [{ relation: 'blocks', to: 'WEB-3' }],
  }),
  issue('WEB-5', 'Explain cookies in plain words', 'task', { labels: ['documentation'], milestoneId: 'mil-1' }),
  issue('APP-1', 'App crashes when the camera is denied', 'bug', {
    priority: 'urgent',
    assignee: 'chen',
    labels: ['regression'],
    milestoneId: 'mil-2',
  }),
  issue('APP-2', 'Dark mode', 'feature', { milestoneId: 'mil-2', points: 13 }),
  issue('OPS-1', 'Backups are never restored as a test', 'task', { priority: 'high', assignee: 'dana' }),
  issue('OPS-2', 'Rotate the signing keys', 'task', { status: 'in-review', labels: ['security'], assignee: 'dana' }),
]

export const comments: readonly Comment[] = [
  comment('com-1', 'WEB-4', 'amara', 'Half of the page weight on my phone.', '2026-02-24T09:10:00Z'),
  comment('com-2', 'WEB-4', 'bo', 'Will use srcset, needs the pictures from WEB-3.', '2026-02-24T11:45:00Z'),
  comment('com-3', 'APP-1', 'chen', 'Since 2.8.1; the permission dialog changed.', '2026-02-28T16:20:00Z'),
]

function issue(id: string, title: string, type: Issue['type'], more: Partial<Issue>): Issue {
  return {
    id,
    project: id.slice(0, id.indexOf('-')),
    title,
    body: '',
    type,
    priority: 'normal',
    status: 'open',
    resolution: null,
    assignee: null,
    labels: [],
    milestoneId: null,
    sprintId: null,
    points: null,
    checklist: [],
    links: [],
    createdAt: '2026-02-16T08:00:00Z',
    updatedAt: '2026-02-23T08:00:00Z',
    closedAt: null,
    ...more,
  }
}

function sprint(id: string, project: string, goal: string, startsOn: string, endsOn: string, state: Sprint['state']) {
  return { id, project, name: `Sprint ${id.slice(4)}`, goal, startsOn, endsOn, state }
}

function comment(id: string, issueId: string, author: string, body: string, createdAt: string): Comment {
  return { id, issueId, author, body, createdAt }
}
