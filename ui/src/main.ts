import './tokens.css';
import './base.css';
import 'uplot/dist/uPlot.min.css';
import { mount } from 'svelte';
import App from './shell/App.svelte';

const target = document.getElementById('app');
if (target) mount(App, { target });
